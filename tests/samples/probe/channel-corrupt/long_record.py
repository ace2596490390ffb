import json

json.dumps = lambda _: '"' + "x" * 100_000 + '"'
