import os
import time

for _ in range(40):
    if os.fork() == 0:
        break
time.sleep(600)
