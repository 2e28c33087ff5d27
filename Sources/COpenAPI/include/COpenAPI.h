#pragma once

/// Returns the description of the HTTP API as YAML, ended by a NUL: a constant of the program.
const char *_Nonnull switchboard_openapi(void);
