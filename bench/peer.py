"""Times one check of each rule with the Python engine: JSON {rules, calls, next} in, seconds out."""
import json
import logging
import sys
import time

import agentltl
from agentltl.enforcer import Enforcer

logging.disable(logging.CRITICAL)


def check(rule, calls, call):
    engine = Enforcer([agentltl.Constraint(name="r", formula=agentltl.parse(rule))])
    for c in calls:
        engine.record_completed(c["tool"], c["args"])
    start = time.perf_counter()
    engine.check(call["tool"], call["args"])
    return time.perf_counter() - start


given = json.load(sys.stdin)
times = []
for text in given["rules"]:
    runs = sorted(check(text, given["calls"], given["next"]) for _ in range(3))
    times.append(runs[1])
print(json.dumps(times))
