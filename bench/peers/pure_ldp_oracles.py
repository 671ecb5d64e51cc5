"""Oracles of `bench.collect` through pure-ldp 1.2.0; runs in an environment of its own, with libraries of its time.

Arguments: the oracle, how many people, how many values, epsilon. Prints CPU seconds of randomising, of adding
reports up, and of what does not grow with people, and the root mean square error of the estimated counts.
"""

import json
import math
import sys
import time

import numpy as np
from pure_ldp.frequency_oracles.apple_cms import CMSClient, CMSServer
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, FastLHServer, LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

ORACLE, PEOPLE, SIZE, EPSILON = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
weights = 1 / np.arange(1, SIZE + 1)
values = np.random.default_rng(1).choice(SIZE, PEOPLE, p=weights / weights.sum())

start = time.process_time()
if ORACLE == "olh":
    client = LHClient(epsilon=EPSILON, d=SIZE, use_olh=True, index_mapper=int)
    server = LHServer(epsilon=EPSILON, d=SIZE, use_olh=True, index_mapper=int)
elif ORACLE == "flh":
    server = FastLHServer(EPSILON, SIZE, 1000, use_olh=True, index_mapper=int)
    client = FastLHClient(EPSILON, SIZE, 1000, use_olh=True, index_mapper=int)
elif ORACLE == "oue":
    client = UEClient(epsilon=EPSILON, d=SIZE, use_oue=True, index_mapper=int)
    server = UEServer(epsilon=EPSILON, d=SIZE, use_oue=True, index_mapper=int)
else:
    server = CMSServer(EPSILON, 2048, 1024)
    client = CMSClient(EPSILON, server.get_hash_funcs(), 1024)
fixed = time.process_time() - start

start = time.process_time()
reports = [client.privatise(int(value)) for value in values]
encoding = time.process_time() - start

start = time.process_time()
for report in reports:
    server.aggregate(report)
estimating = time.process_time() - start

# Asking for all values takes as long for few people as for many, so it is not scaled with them.
start = time.process_time()
found = np.array([server.estimate(value, suppress_warnings=True) for value in range(SIZE)])
fixed += time.process_time() - start
error = math.sqrt(((found - np.bincount(values, minlength=SIZE)) ** 2).mean())
print(
    json.dumps({"fixed": fixed, "encode": encoding, "estimate": estimating, "people": PEOPLE, "error": error})
)
