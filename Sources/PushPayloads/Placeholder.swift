enum PushPayloadsPlaceholder {}
