"""The states of a line as the seller writes them, in an answer and in the fault object of a job pack."""

from dispatch.models import ConnectionState, NodeColour, OntState, PortState

ONT_STATES = {"Service Up": OntState.UP, "Service Down": OntState.DOWN, "Dying Gasp": OntState.NO_POWER}
CONNECTION_STATES = {
    "Up": ConnectionState.UP,
    "Down CF": ConnectionState.DOWN_SELLER,
    "Down ISP": ConnectionState.DOWN_BUYER,
}
PORT_STATES = {"Up": PortState.UP, "Down": PortState.DOWN}
COLOURS = {"Green": NodeColour.GREEN, "Orange": NodeColour.ORANGE, "Red": NodeColour.RED}
