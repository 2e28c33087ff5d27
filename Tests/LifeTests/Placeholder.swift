enum LifeTestsPlaceholder {}
