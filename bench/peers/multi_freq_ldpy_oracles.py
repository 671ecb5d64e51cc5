"""Oracles of `bench.collect` through multi-freq-ldpy 0.2.5; runs in an environment of its own, with libraries of its time.

Arguments: the oracle, how many people, how many values, epsilon. Prints CPU seconds of randomising and of estimating.
"""

import json
import sys
import time

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

ORACLE, PEOPLE, SIZE, EPSILON = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
weights = 1 / np.arange(1, SIZE + 1)
values = np.random.default_rng(1).choice(SIZE, PEOPLE, p=weights / weights.sum())
client = LH_Client if ORACLE == "olh" else UE_Client
client(0, SIZE, EPSILON)  # compiled before the clock runs

start = time.process_time()
reports = [client(int(value), SIZE, EPSILON) for value in values]
encoding = time.process_time() - start
start = time.process_time()
if ORACLE == "olh":
    LH_Aggregator_MI(reports, SIZE, EPSILON)
else:
    UE_Aggregator_MI(reports, EPSILON)
estimating = time.process_time() - start
print(json.dumps({"fixed": 0.0, "encode": encoding, "estimate": estimating, "people": PEOPLE}))
