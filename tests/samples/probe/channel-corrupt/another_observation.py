import json

json.dumps = lambda _: '{"outcome": "unavailable"}'
