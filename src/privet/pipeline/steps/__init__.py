"""The kinds of steps that come with the house; each registers itself with `privet.pipeline.kinds`."""
