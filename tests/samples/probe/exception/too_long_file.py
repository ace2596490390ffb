from pathlib import Path

with Path("file").open("wb") as file:
    for _ in range(200):
        file.write(bytes(1 << 20))
