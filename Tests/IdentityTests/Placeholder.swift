enum IdentityTestsPlaceholder {}
