enum GatewayStoragePlaceholder {}
