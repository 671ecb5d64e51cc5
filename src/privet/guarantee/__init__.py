"""What is promised: pure values, no data, no randomness.

Importing the package loads `composing`, which teaches every accountant what a sealed plan costs.
"""

from privet.guarantee import composing as composing
