enum PushSimulatorPlaceholder {}
