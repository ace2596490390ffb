import subprocess
import sys

code = "import os, time; os.setsid(); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", code])
