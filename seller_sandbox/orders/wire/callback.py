"""The buyer's answer to a notifyOfOrderStatus."""

from functools import partial

from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import callback

ACKNOWLEDGEMENT = "notifyOfOrderStatusResponse"
read = partial(callback.read, interface=INTERFACE, name=ACKNOWLEDGEMENT)
acknowledge = partial(callback.acknowledge, interface=INTERFACE, name=ACKNOWLEDGEMENT)
