"""The samples here are read by the tests of the reader; they are not claims to be run."""

collect_ignore_glob = ["*.yaml"]
