from pathlib import Path

Path("link").symlink_to("/usr")
Path("scratch").symlink_to("scratch")
