"""Made wrong on purpose: does a test notice?"""
