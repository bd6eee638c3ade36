"""Which members of the seller's messages are about a person, their home, or open something of theirs."""

PERSONAL = frozenset(
    {
        # who, and how to reach them
        "name",
        "phone",
        "email",
        # where they live
        "lines",
        "town",
        "postcode",
        "uprn",
        "latitude",
        "longitude",
        # free text, which may say anything about them
        "hazards",
        "accessRestrictions",
        "notes",
        "preferredOntLocation",
        "remarks",
        "answer",
        "description",
        "triageFindings",
        "lastDiagnostics",
        "files",
        "network",
        # why the seller cancels
        "message",
        # whoever has the link sees the photo
        "url",
        "object_path",
    }
)
