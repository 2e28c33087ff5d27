enum PushProvidersTestsPlaceholder {}
