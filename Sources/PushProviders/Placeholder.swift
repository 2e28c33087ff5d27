enum PushProvidersPlaceholder {}
