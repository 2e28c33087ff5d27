enum GatewayModelTestsPlaceholder {}
