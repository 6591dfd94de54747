/* SPDX-License-Identifier: MIT */
/*
 * load_alone - what a whole run is compared with: reads one file and loads it through libcyaml by the same tables, with
 * libcyaml's default memory functions, and ends. No file: does nothing, which is what starting a process costs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"

int main(int argc, char **argv)
{
    const cyaml_config_t config = {
        .log_level = CYAML_LOG_ERROR,
        .log_fn = cyaml_log,
        .mem_fn = cyaml_mem,
        .flags = CYAML_CFG_NO_ALIAS,
    };
    cyaml_data_t *data = NULL;
    if (argc < 2) {
        return 0;
    }
    return cyaml_load_file(argv[1], &config, &spec_schema, &data, NULL) == CYAML_OK && data ? 0 : 1;
}
