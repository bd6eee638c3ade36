"""The twelve regrades that are offered (order-provisioning.md, Regrade product pairs).

The document lists "National 160 to National 160", which contradicts its own rejection of the same product and is the
only directed pair of four products that is missing otherwise: it is read as National 160 to Local 160 (D12).
"""

from seller_sandbox.network.models import Product

_LOCAL_160, _LOCAL_1000 = ("Local", 160), ("Local", 1000)
_NATIONAL_160, _NATIONAL_1000 = ("National", 160), ("National", 1000)
WITHOUT_ACCESS_CHANGE = (
    (_LOCAL_160, _LOCAL_1000),
    (_LOCAL_1000, _LOCAL_160),
    (_NATIONAL_160, _NATIONAL_1000),
    (_NATIONAL_1000, _NATIONAL_160),
)
WITH_ACCESS_CHANGE = (
    (_LOCAL_160, _NATIONAL_1000),
    (_LOCAL_1000, _NATIONAL_160),
    (_NATIONAL_160, _LOCAL_1000),
    (_NATIONAL_1000, _LOCAL_160),
    (_LOCAL_160, _NATIONAL_160),
    (_LOCAL_1000, _NATIONAL_1000),
    (_NATIONAL_160, _LOCAL_160),
    (_NATIONAL_1000, _LOCAL_1000),
)
PAIRS = frozenset(WITHOUT_ACCESS_CHANGE + WITH_ACCESS_CHANGE)


def is_offered(before: Product, after: Product) -> bool:
    """Whether a live service may be regraded from one product to the other."""
    return (
        all(map(_is_in_pairs, (before, after)))
        and ((before.access, before.speed_mbps), (after.access, after.speed_mbps)) in PAIRS
    )


def _is_in_pairs(product: Product) -> bool:
    """One of the four residential products; there are others of the same access and speed."""
    return not (product.is_business or product.is_complex or product.is_remote_only)
