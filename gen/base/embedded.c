/* SPDX-License-Identifier: MIT */
/*
 * embedded - finds a built-in file by name. The data are build/embedded.c, which gen/base/embed.sh makes.
 */
#include "embedded.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *name, const void *file)
{
    return strcmp(name, ((const EmbeddedFile *)file)->name);
}

const EmbeddedFile *embedded_find(const char *name)
{
    return bsearch(name, embedded_files, num_embedded_files, sizeof embedded_files[0], compare);
}
