/* SPDX-License-Identifier: MIT */
/*
 * embedded - the files of templates/, schema/codes/ and cmd/pages/ as they were when the tool was built: data made by a
 * Makefile rule, sorted by name.
 */
#ifndef WRAPGEN_EMBEDDED_H
#define WRAPGEN_EMBEDDED_H

#include <stddef.h>

typedef struct EmbeddedFile {
    const char *name; /* path below its folder: "op/copy_.mustache", "E_VIEW.txt" */
    const char *text; /* terminated */
    size_t length;
} EmbeddedFile;

extern const EmbeddedFile embedded_files[];
extern const size_t num_embedded_files;
extern const EmbeddedFile embedded_codes[];
extern const size_t num_embedded_codes;
extern const EmbeddedFile embedded_pages[];
extern const size_t num_embedded_pages;

/* A file of templates/. Null when there is none with that name. */
const EmbeddedFile *embedded_find(const char *name);

#endif /* WRAPGEN_EMBEDDED_H */
