"""Realistic job packs: the same seed gives the same packs. Nobody in them exists: see names.json."""

from seller_sandbox.jobs.packs.maker import make_pack, window_of

__all__ = ["make_pack", "window_of"]
