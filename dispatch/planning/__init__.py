"""Planning a whole region: the problem and its plan as values, the engine, the check of every plan, and proposals.

The modules that the engine's processes load know nothing of Django (`engine_process` and what it imports). Those that
web processes load (`proposals`, `proposal_acceptance`, `proposal_texts`, `tasks`) know nothing of numpy.
"""
