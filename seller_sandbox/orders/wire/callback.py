"""The buyer's answer to a notifyOfOrderStatus."""

from functools import partial

from seller_sandbox.orders.wire.namespaces import BASE, INTERFACE
from seller_sandbox.soap import callback

ACKNOWLEDGEMENT = "notifyOfOrderStatusResponse"
read = partial(callback.read, interface=INTERFACE, name=ACKNOWLEDGEMENT)
acknowledge = partial(callback.acknowledge, namespace=BASE, name=ACKNOWLEDGEMENT)
