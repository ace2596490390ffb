"""The commands, one module each: ``run(arguments)`` returns an exit code."""
