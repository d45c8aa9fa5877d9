/* Memory of a WebAssembly module: blocks for instances, and room for the values of one call.

   Free blocks are kept in the order of their addresses and merged with their neighbours, so that
   instances that come and go do not make memory grow. */
#include <stddef.h>

typedef struct Block { size_t size; struct Block *next; } Block; /* size with this head */
enum { PAGE = 65536, GRAIN = 16 };
extern unsigned char __heap_base;
static Block *free_blocks;
static size_t used_end; /* where memory that was never used begins */

/* Makes memory reach to an address; returns 0 where there is no more. */
static int grow_to(size_t end) {
  const size_t have = __builtin_wasm_memory_size(0) * PAGE;
  if (end <= have) return 1;
  return __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) != (size_t)-1;
}

static Block *fresh_block(size_t size) {
  Block *block;
  if (!used_end) used_end = ((size_t)&__heap_base + GRAIN - 1) & ~(size_t)(GRAIN - 1);
  if (size > ~(size_t)PAGE - used_end || !grow_to(used_end + size)) return 0;
  block = (Block *)used_end;
  block->size = size;
  used_end += size;
  return block;
}

static Block *known_block(size_t size) {
  for (Block **at = &free_blocks; *at; at = &(*at)->next) {
    Block *block = *at, *left = (Block *)((char *)block + size);
    if (block->size < size) continue;
    if (block->size - size < 2 * GRAIN) {
      *at = block->next;
      return block;
    }
    left->size = block->size - size, left->next = block->next;
    block->size = size;
    *at = left;
    return block;
  }
  return 0;
}

/* Returns zeros, or 0 where there is no memory. */
static void *new_memory(size_t size) {
  const size_t whole = (size + sizeof(Block) + GRAIN - 1) & ~(size_t)(GRAIN - 1);
  Block *block = whole < size ? 0 : known_block(whole);
  if (!block && whole >= size) block = fresh_block(whole);
  if (!block) return 0;
  for (size_t i = 0; i < size; i++) ((char *)(block + 1))[i] = 0;
  return block + 1;
}

static void merge_with_next(Block *block) {
  if (!block->next || (char *)block + block->size != (char *)block->next) return;
  block->size += block->next->size;
  block->next = block->next->next;
}

static void free_memory(void *memory) {
  Block *block = (Block *)memory - 1, *before = 0, *after = free_blocks;
  while (after && after < block) before = after, after = after->next;
  block->next = after;
  if (before) before->next = block;
  else free_blocks = block;
  merge_with_next(block);
  if (before) merge_with_next(before);
}

/* Values of one call: what the host passes in, and lists that it reads. */
typedef struct Room { struct Room *next; size_t padding; } Room;
static Room *rooms;

static void *room_for(size_t size) {
  Room *room = size > (size_t)-1 - sizeof(Room) ? 0 : new_memory(size + sizeof(Room));
  if (!room) __builtin_trap();
  room->next = rooms;
  rooms = room;
  return room + 1;
}

static void free_rooms(void) {
  while (rooms) {
    Room *room = rooms;
    rooms = room->next;
    free_memory(room);
  }
}
