enum PushSimulatorTestsPlaceholder {}
