"""requestServiceDiagnostics 1.1 (faults-and-diagnostics.md): the only XML of this project, and the only place with its
names. Nothing is imported here: the seller server needs the states alone, and no lxml."""
