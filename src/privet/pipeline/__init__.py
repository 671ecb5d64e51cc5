"""The walk through the house: a policy file becomes a plan, and the plan is run."""
