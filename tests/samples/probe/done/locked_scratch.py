from pathlib import Path

Path("inner").mkdir()
Path("inner/file").write_text("left behind")
Path("inner").chmod(0)
Path().chmod(0)
