/* Copies of an instance's state, in memory and as bytes. Bytes begin with the model's token. */
static int copy_state(Instance *m, State **copy) {
  if (!copy) return complain(m, "no place for the state");
  if (!*copy) *copy = new_memory(sizeof(State));
  if (!*copy) return complain(m, "no memory for the state");
  **copy = m->now;
  return 1;
}

static int restore_state(Instance *m, const State *copy) {
  if (!copy) return complain(m, "no state to set");
  m->now = *copy;
  return 1;
}

static void free_state(State **copy) {
  if (copy && *copy) free_memory(*copy);
  if (copy) *copy = 0;
}

enum { TOKEN_SIZE = sizeof(MODEL_TOKEN), STATE_BYTES = TOKEN_SIZE + sizeof(State) };

static void copy_bytes(void *to, const void *from, size_t count) {
  for (size_t i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
}

static int state_to_bytes(Instance *m, const State *copy, void *bytes, size_t size) {
  if (!copy || !bytes || size < STATE_BYTES) return complain(m, "too few bytes for the state");
  copy_bytes(bytes, MODEL_TOKEN, TOKEN_SIZE);
  copy_bytes((char *)bytes + TOKEN_SIZE, copy, sizeof(State));
  return 1;
}

static int state_from_bytes(Instance *m, const void *bytes, size_t size, State **copy) {
  if (!bytes || size != STATE_BYTES || ((const char *)bytes)[TOKEN_SIZE - 1] != 0 ||
      !same_text(bytes, MODEL_TOKEN))
    return complain(m, "these bytes are no state of this model");
  if (!copy_state(m, copy)) return 0;
  copy_bytes(*copy, (const char *)bytes + TOKEN_SIZE, sizeof(State));
  return 1;
}
