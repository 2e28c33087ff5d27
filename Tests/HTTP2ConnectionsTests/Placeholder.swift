enum HTTP2ConnectionsTestsPlaceholder {}
