/* SPDX-License-Identifier: MIT */
/*
 * shape - walks libyaml's events along libcyaml's tables.
 *
 * One frame per open mapping or list says which table is in force, and, when libcyaml has loaded the same file before,
 * which struct or array it filled. From that the walk knows what each node should be (shape_check reports any that is
 * not) and which member it filled (shape_listen tells resolve.c). A node that the tables do not know is skipped as a
 * whole. Nothing recurses, and the walk stops where the file nests deeper than SOURCE_MAX_DEPTH.
 *
 * libcyaml cannot tell `[]` from an absent list: both leave a null pointer and a count of 0. shape_check() with data
 * makes the pointer of an empty list non-null.
 */
#include "shape.h"

#include <string.h>

static ShapeMark mark_of(const yaml_event_t *event)
{
    ShapeMark mark = {event->start_mark.line + 1, event->start_mark.column + 1, 1};

    if (event->end_mark.line == event->start_mark.line && event->end_mark.column > event->start_mark.column) {
        mark.length = event->end_mark.column - event->start_mark.column;
    }
    return mark;
}

ShapeFrame *shape_top(Shape *shape)
{
    return shape->depth > 0 ? &shape->frames[shape->depth - 1] : NULL;
}

/* ---- where libcyaml put things ---- */

/* The target of a pointer member. */
static char *follow(char *member)
{
    char *target = NULL;

    if (member) {
        memcpy(&target, member, sizeof target);
    }
    return target;
}

static char *data_of(const cyaml_schema_value_t *schema, char *member)
{
    return schema->flags & CYAML_FLAG_POINTER ? follow(member) : member;
}

static size_t element_size(const cyaml_schema_value_t *entry)
{
    return entry->flags & CYAML_FLAG_POINTER ? sizeof(void *) : entry->data_size;
}

static void tell_value(const Shape *shape, const char *member, const char *text, ShapeMark mark)
{
    if (shape->listener && member) {
        shape->listener->value(shape->listener->ctx, shape, member, text, mark);
    }
}

/* ---- frames ---- */

static size_t count_fields(const cyaml_schema_value_t *schema)
{
    size_t count = 0;

    while (schema->mapping.fields[count].key) {
        count++;
    }
    return count;
}

/* Frames keep their array of seen fields for the next mapping at that depth. */
static void clear_seen(Shape *shape, ShapeFrame *frame, size_t count)
{
    if (frame->seen_capacity < count) {
        frame->seen = ARENA_ARRAY(shape->arena, ShapeSeen, count);
        frame->seen_capacity = count;
    } else if (count > 0) {
        memset(frame->seen, 0, count * sizeof frame->seen[0]);
    }
}

static void push_frame(Shape *shape, const cyaml_schema_value_t *schema, char *member, ShapeMark mark)
{
    ShapeFrame *frame = &shape->frames[shape->depth++];
    ShapeSeen *seen = frame->seen;
    size_t seen_capacity = frame->seen_capacity;

    *frame = (ShapeFrame){
        .schema = schema,
        .data = data_of(schema, member),
        .member = member,
        .mark = mark,
        .seen = seen,
        .seen_capacity = seen_capacity,
    };
    if (schema->type != CYAML_MAPPING) {
        return;
    }
    clear_seen(shape, frame, count_fields(schema));
    if (shape->listener && frame->data) {
        shape->listener->begin(shape->listener->ctx, shape, frame->data, schema->data_size, mark);
    }
}

/* The whole node, if it ends on the line on which it began; for a block mapping, its first key. */
static ShapeMark span(const ShapeFrame *frame, const yaml_event_t *end)
{
    ShapeMark mark = frame->mark;

    if (end->end_mark.line + 1 == mark.line && end->end_mark.column + 1 > mark.column) {
        mark.length = end->end_mark.column + 1 - mark.column;
    } else if (frame->first_key_length > 0) {
        mark.length = frame->first_key_length;
    }
    return mark;
}

/* A value is over. */
static void leave_entry(Shape *shape)
{
    if (shape->depth > 0) {
        shape_top(shape)->inside = false;
    }
}

static void mark_empty_list(Shape *shape, const ShapeFrame *frame)
{
    if (frame->member && !frame->data && (frame->schema->flags & CYAML_FLAG_POINTER)) {
        void *empty = arena_alloc(shape->arena, 0);
        memcpy(frame->member, &empty, sizeof empty);
    }
}

static void pop_frame(Shape *shape, const yaml_event_t *event)
{
    ShapeFrame *frame = shape_top(shape);
    const ShapeListener *listener = shape->listener;

    frame->mark = span(frame, event);
    frame->inside = false;
    if (frame->schema->type == CYAML_MAPPING) {
        shape_missing_keys(shape, frame);
        if (listener && frame->data) {
            listener->mapping(listener->ctx, shape, frame->data, frame->mark);
        }
    } else {
        shape_wrong_count(shape, frame);
        if (frame->count == 0 && shape->diag) {
            mark_empty_list(shape, frame);
        }
    }
    shape->depth--;
    tell_value(shape, frame->member, NULL, frame->mark);
    leave_entry(shape);
}

/* ---- nodes ---- */

static bool is_container(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
}

/* Handles a mapping's key. One that is not a scalar is skipped. After a key that is unknown or repeated, `field` is
 * null.
 */
static void read_key(Shape *shape, ShapeFrame *frame, const yaml_event_t *event, ShapeMark mark)
{
    const char *key = (const char *)event->data.scalar.value;
    const cyaml_schema_field_t *fields = frame->schema->mapping.fields;
    size_t i = 0;

    frame->inside = true;
    frame->field = NULL;
    frame->key = mark;
    if (event->type != YAML_SCALAR_EVENT) {
        shape_error(shape, "E_KIND", mark, "a key must be a single word");
        shape->skipped = 1;
        shape->skipping_key = true;
        return;
    }
    if (frame->first_key_length == 0) {
        frame->first_key_length = mark.length;
    }
    while (fields[i].key && strcmp(fields[i].key, key) != 0) {
        i++;
    }
    if (!fields[i].key || strlen(key) != event->data.scalar.length) {
        shape_unknown_key(shape, frame, key, event->data.scalar.length);
        return;
    }
    frame->field = &fields[i];
    if (frame->seen[i].mark.line > 0) {
        shape_note(shape, shape_error(shape, "E_DUPLICATE_KEY", mark, "'%s' is given twice", key), frame->seen[i].mark,
                   "first given here");
        frame->field = NULL;
        return;
    }
    frame->seen[i].mark = mark;
    if (shape->listener && frame->data) {
        shape->listener->key(shape->listener->ctx, shape, frame->data + fields[i].data_offset, mark);
    }
}

/* Handles a value; `schema` says what it should be and `member` where libcyaml put it. */
static void read_value(Shape *shape, const cyaml_schema_value_t *schema, char *member, const yaml_event_t *event,
                       ShapeMark mark)
{
    bool mapping = schema->type == CYAML_MAPPING;
    bool list = schema->type == CYAML_SEQUENCE;

    if ((event->type == YAML_MAPPING_START_EVENT && mapping) || (event->type == YAML_SEQUENCE_START_EVENT && list)) {
        push_frame(shape, schema, member, mark);
        return;
    }
    if (event->type == YAML_SCALAR_EVENT && !mapping && !list) {
        shape_scalar(shape, schema, event, mark);
        tell_value(shape, member, (const char *)event->data.scalar.value, mark);
    } else {
        shape_wrong_kind(shape, schema, event, mark);
        shape->skipped = is_container(event);
    }
    if (shape->skipped == 0) {
        leave_entry(shape);
    }
}

static void check_tag(Shape *shape, const yaml_event_t *event, ShapeMark mark)
{
    static const char core[] = "tag:yaml.org,2002:"; /* what `!!` abbreviates */
    const char *tag = NULL;

    if (event->type == YAML_SCALAR_EVENT) {
        tag = (const char *)event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        tag = (const char *)event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        tag = (const char *)event->data.mapping_start.tag;
    }
    if (tag && strncmp(tag, core, sizeof core - 1) == 0) {
        tag = arena_printf(shape->arena, "!!%s", tag + sizeof core - 1);
    }
    if (tag) {
        tag = diag_excerpt(shape->arena, tag, strlen(tag));
        mark.length = strlen(tag);
        shape_error(shape, "E_TAG", mark, "YAML tags are not part of the format; leave '%s' out", tag);
    }
}

/* Nothing below an unknown key is checked, so neither is an alias there. */
static void refuse_alias(Shape *shape, const yaml_event_t *event, ShapeMark mark)
{
    const char *name = (const char *)event->data.alias.anchor;
    ShapeFrame *frame = shape_top(shape);
    bool mapping = frame && frame->schema->type == CYAML_MAPPING;
    bool is_key = mapping && !frame->inside;

    if (is_key || !mapping || frame->field) {
        shape_error(shape, "E_ALIAS", mark, "YAML aliases are not part of the format; write out what '*%s' refers to",
                    diag_excerpt(shape->arena, name, strlen(name)));
    }
    if (is_key) {
        frame->field = NULL;
        frame->inside = true;
    } else {
        leave_entry(shape);
    }
}

static void read_entry(Shape *shape, ShapeFrame *frame, const yaml_event_t *event, ShapeMark mark)
{
    const cyaml_schema_value_t *entry = frame->schema->sequence.entry;
    char *member = frame->data ? frame->data + (frame->count - 1) * element_size(entry) : NULL;

    read_value(shape, entry, member, event, mark);
}

static void read_field(Shape *shape, ShapeFrame *frame, const yaml_event_t *event, ShapeMark mark)
{
    if (frame->field) {
        char *member = frame->data ? frame->data + frame->field->data_offset : NULL;
        read_value(shape, &frame->field->value, member, event, mark);
    } else if (is_container(event)) {
        shape->skipped = 1;
    } else {
        leave_entry(shape);
    }
}

/* A key or a value begins. */
static void read_node(Shape *shape, const yaml_event_t *event)
{
    ShapeFrame *frame = shape_top(shape);
    ShapeMark mark = mark_of(event);
    bool list = frame && frame->schema->type == CYAML_SEQUENCE;

    if (list) {
        frame->count++;
        frame->inside = true;
    }
    check_tag(shape, event, mark);
    if (event->type == YAML_ALIAS_EVENT) {
        refuse_alias(shape, event, mark);
    } else if (!frame) {
        const cyaml_schema_value_t *schema = shape->source->schema;
        read_value(shape, schema ? schema : &spec_schema, shape->root ? (char *)&shape->root : NULL, event, mark);
    } else if (list) {
        read_entry(shape, frame, event, mark);
    } else if (frame->inside) {
        read_field(shape, frame, event, mark);
    } else {
        read_key(shape, frame, event, mark);
    }
}

/* ---- events ---- */

static void open_node(Shape *shape, const yaml_event_t *event)
{
    if (shape->depth + shape->skipped == SOURCE_MAX_DEPTH) {
        shape_error(shape, "E_DEPTH", mark_of(event), "lists and mappings nest deeper than %d here", SOURCE_MAX_DEPTH);
        shape->stopped = true;
    } else if (shape->skipped > 0) {
        shape->skipped++;
    } else {
        read_node(shape, event);
    }
}

static void close_node(Shape *shape, const yaml_event_t *event)
{
    if (shape->skipped == 0) {
        pop_frame(shape, event);
        return;
    }
    shape->skipped--;
    if (shape->skipped == 0 && !shape->skipping_key) {
        leave_entry(shape);
    }
    if (shape->skipped == 0) {
        shape->skipping_key = false;
    }
}

static void open_document(Shape *shape, const yaml_event_t *event)
{
    shape->documents++;
    if (shape->documents > 1) {
        shape_error(shape, "E_DOCUMENT", mark_of(event), "a second document begins here; a file holds one");
        shape->stopped = true;
    }
}

static void end_stream(Shape *shape)
{
    shape->stopped = true;
    if (shape->documents == 0) {
        shape_error(shape, "E_EMPTY", (ShapeMark){0, 0, 0}, "the file %s",
                    shape->source->length == 0 ? "is empty" : "holds nothing but space and comments");
    }
}

static void read_event(Shape *shape, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    case YAML_STREAM_END_EVENT:
        end_stream(shape);
        break;
    case YAML_DOCUMENT_START_EVENT:
        open_document(shape, event);
        break;
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
        if (shape->skipped == 0) {
            read_node(shape, event);
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        open_node(shape, event);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_node(shape, event);
        break;
    }
}

static void walk(Shape *shape)
{
    shape->frames = ARENA_ARRAY(shape->arena, ShapeFrame, SOURCE_MAX_DEPTH);
    if (!yaml_parser_initialize(&shape->parser)) {
        shape_error(shape, "E_INTERNAL", (ShapeMark){0, 0, 0}, "libyaml cannot be set up: out of memory");
        return;
    }
    yaml_parser_set_input_string(&shape->parser, (const unsigned char *)shape->source->text, shape->source->length);
    while (!shape->stopped) {
        yaml_event_t event;
        if (!yaml_parser_parse(&shape->parser, &event)) {
            syntax_report(shape);
            diag_init(&shape->missing, shape->arena);
            break;
        }
        read_event(shape, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&shape->parser);
}

bool shape_check(Arena *arena, Diag *diag, const Source *source, void *data)
{
    Shape shape = {.arena = arena, .diag = diag, .source = source, .root = data};

    diag_init(&shape.missing, arena);
    walk(&shape);
    diag_take(diag, &shape.missing);
    return shape.num_errors == 0;
}

void shape_listen(Arena *arena, const Source *source, const ShapeListener *listener)
{
    Shape shape = {.arena = arena, .source = source, .listener = listener, .root = source->data};

    walk(&shape);
}
