"""The few randomised primitives. Each opens a sealed value only with a permit."""
