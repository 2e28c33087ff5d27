enum GatewayHTTPTestsPlaceholder {}
