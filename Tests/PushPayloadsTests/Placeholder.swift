enum PushPayloadsTestsPlaceholder {}
