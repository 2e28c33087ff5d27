enum GatewayModelPlaceholder {}
