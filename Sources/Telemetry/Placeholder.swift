enum TelemetryPlaceholder {}
