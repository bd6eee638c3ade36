"""Planning a whole region: the problem and its plan as values, the engine, the check of every plan, and proposals.

`engine` knows nothing of Django: its own processes load it, and benchmarks. The modules that
web processes load (`proposals`, `proposal_acceptance`, `proposal_texts`, `tasks`) know nothing of numpy.
"""
