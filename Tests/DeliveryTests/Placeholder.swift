enum DeliveryTestsPlaceholder {}
