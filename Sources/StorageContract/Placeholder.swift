enum StorageContractPlaceholder {}
