enum HTTP2ConnectionsPlaceholder {}
