import os
import time

for _ in range(4):
    if os.fork() == 0:
        memory = bytearray(os.urandom(1 << 20)) * 64
        break
time.sleep(600)
