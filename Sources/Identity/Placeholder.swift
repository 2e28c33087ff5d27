enum IdentityPlaceholder {}
