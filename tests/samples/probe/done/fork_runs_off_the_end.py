import os

is_fork = os.fork() == 0
if not is_fork:
    os.wait()
print("fork" if is_fork else "parent")
