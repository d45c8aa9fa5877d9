/* One state through a compiled kernel with as little Python as possible.
   The few parts of CPython's interface (3.11+) and of NumPy's arrays that are used are declared
   here, so that no headers are needed; they are the ones that every compiled extension relies on.
     setup(ndarray, float64, empty): NumPy's array type, its float64 and its function for a new array
     single(address, input_sizes, output_shapes, lower, upper, plan) -> function; plan: 0, or the
       address of what the kernel gets as one more argument (inverse.c)
       function(inputs...) -> tuple of new arrays; None when the general path must be taken: an
       argument that is no contiguous float64 vector of the right size, a number that is not finite
       or beyond +-WIDEST, or a first input outside lower..upper
     solutions(address, plan, constants, joints, branches) -> function for inverse.c's closed_form;
       constants: addresses of form, lower and upper
       function(T, seed, redundancy) -> (q (n, joints), residuals (n), angles (n), redundancy), new
       arrays of the n solutions found; None when the general path must be taken. T: float64 (4, 4);
       seed: float64 (joints) or None for zeros; redundancy: a float, or None for the seed's own
     inside(x, width, lower, upper) -> True when x is a contiguous float64 array whose rows of
       width numbers are finite, within +-WIDEST and within lower..upper (arrays, or None) */
typedef __PTRDIFF_TYPE__ Py_ssize_t;
typedef struct { Py_ssize_t refcnt; void *type; } PyObject;
typedef struct {
  PyObject head; double *data; int dimensions; Py_ssize_t *shape, *strides;
  PyObject *base, *descr; int flags;
} Array;
typedef struct { const char *name; void *call; int flags; const char *doc; } PyMethodDef;
typedef struct {
  PyObject head; void *init; Py_ssize_t index; void *copy; const char *name, *doc;
  Py_ssize_t size; PyMethodDef *methods; void *slots, *traverse, *clear, *free;
} PyModuleDef;
extern PyObject _Py_NoneStruct, *PyExc_ValueError;
extern PyObject *PyModule_Create2(PyModuleDef *, int), *PyBool_FromLong(long);
extern PyObject *PyErr_NoMemory(void), *PyErr_Occurred(void);
extern void PyErr_Clear(void), PyErr_SetString(PyObject *, const char *);
extern void Py_IncRef(PyObject *), Py_DecRef(PyObject *);
extern void *PyMem_Malloc(__SIZE_TYPE__), PyMem_Free(void *), *PyLong_AsVoidPtr(PyObject *);
extern Py_ssize_t PyLong_AsSsize_t(PyObject *), PyTuple_Size(PyObject *);
extern PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t), *PyTuple_New(Py_ssize_t);
extern int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
extern double PyFloat_AsDouble(PyObject *);
extern PyObject *PyFloat_FromDouble(double), *PyLong_FromSsize_t(Py_ssize_t);
extern PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *, PyObject *);
extern PyObject *PyCapsule_New(void *, const char *, void (*)(PyObject *));
extern void *PyCapsule_GetPointer(PyObject *, const char *);
extern PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, __SIZE_TYPE__, PyObject *);

enum { MOST = 16, WIDTH = 64, CONTIGUOUS_AND_ALIGNED = 0x101, FASTCALL = 0x80, BLOCK = 8 };
#define WIDEST 1e6
static PyObject *ndarray, *float64, *empty;
typedef void (*kernel_t)(long, const double *const *, double *const *);
typedef void (*planned_t)(long, const double *const *, double *const *, const void *);
typedef struct {
  kernel_t call; planned_t planned; const void *plan; Py_ssize_t inputs, outputs, size[MOST]; PyObject *shapes;
  double lower[WIDTH], upper[WIDTH];
} Plan;

static double within_widest(double bound) {
  return bound < -WIDEST ? -WIDEST : bound > WIDEST ? WIDEST : bound;
}
static const Array *plain(PyObject *x) {
  const Array *array = (const Array *)x;
  if (x->type != (void *)ndarray || array->descr != float64) return 0;
  return (array->flags & CONTIGUOUS_AND_ALIGNED) == CONTIGUOUS_AND_ALIGNED ? array : 0;
}
static PyObject *setup(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self; (void)count;
  for (int i = 0; i < 3; i++) Py_IncRef(args[i]);
  ndarray = args[0]; float64 = args[1]; empty = args[2];
  return PyBool_FromLong(1);
}

/* Returns the address of input i where it is a plain vector within its bounds, else 0. */
static const double *vector(const Plan *p, Py_ssize_t i, PyObject *x) {
  const Array *array = plain(x);
  if (!array || array->dimensions != 1 || array->shape[0] != p->size[i]) return 0;
  long outside = 0;
  for (Py_ssize_t k = 0; k < p->size[i]; k++) {
    const double low = i ? -WIDEST : p->lower[k], high = i ? WIDEST : p->upper[k];
    outside |= !(array->data[k] >= low) | !(array->data[k] <= high);
  }
  return outside ? 0 : array->data;
}
static PyObject *general_way(void) { Py_IncRef(&_Py_NoneStruct); return &_Py_NoneStruct; }
static PyObject *one(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  const Plan *p = PyCapsule_GetPointer(self, 0);
  if (!p || count != p->inputs) return p ? general_way() : 0;
  const double *x[MOST];
  double *y[MOST];
  for (Py_ssize_t i = 0; i < p->inputs; i++)
    if (!(x[i] = vector(p, i, args[i]))) return general_way();
  PyObject *results = PyTuple_New(p->outputs);
  for (Py_ssize_t i = 0; results && i < p->outputs; i++) {
    PyObject *shape = PyTuple_GetItem(p->shapes, i);
    PyObject *array = PyObject_Vectorcall(empty, &shape, 1, 0);
    if (!array) { Py_DecRef(results); return 0; }
    y[i] = ((Array *)array)->data;
    PyTuple_SetItem(results, i, array);
  }
  if (results && p->plan) p->planned(1, x, y, p->plan);
  else if (results) p->call(1, x, y);
  return results;
}
static PyMethodDef one_definition = {"single", one, FASTCALL, 0};

static void forget(PyObject *capsule) {
  Plan *p = PyCapsule_GetPointer(capsule, 0);
  Py_DecRef(p->shapes);
  PyMem_Free(p);
}
static PyObject *single(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self; (void)count;
  const Py_ssize_t inputs = PyTuple_Size(args[1]), outputs = PyTuple_Size(args[2]);
  const Py_ssize_t first = PyTuple_Size(args[3]);
  if (inputs < 1 || inputs > MOST || outputs > MOST || first > WIDTH) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many inputs or outputs");
    return 0;
  }
  Plan *p = PyMem_Malloc(sizeof(Plan));
  if (!p) return PyErr_NoMemory();
  p->call = (kernel_t)PyLong_AsVoidPtr(args[0]);
  p->planned = (planned_t)PyLong_AsVoidPtr(args[0]); /* the same address: one of them is called */
  p->plan = PyLong_AsVoidPtr(args[5]);
  p->inputs = inputs;
  p->outputs = outputs;
  p->shapes = args[2];
  Py_IncRef(p->shapes);
  for (Py_ssize_t i = 0; i < inputs; i++) p->size[i] = PyLong_AsSsize_t(PyTuple_GetItem(args[1], i));
  for (Py_ssize_t k = 0; k < first; k++) {
    p->lower[k] = within_widest(PyFloat_AsDouble(PyTuple_GetItem(args[3], k)));
    p->upper[k] = within_widest(PyFloat_AsDouble(PyTuple_GetItem(args[4], k)));
  }
  PyObject *capsule = PyCapsule_New(p, 0, forget);
  if (!capsule) { Py_DecRef(p->shapes); PyMem_Free(p); return 0; }
  PyObject *function = PyErr_Occurred() ? 0 : PyCFunction_NewEx(&one_definition, capsule, 0);
  Py_DecRef(capsule);
  return function;
}

/* ---- solutions of a closed form ---- */
enum { SOLUTIONS = 16, JOINTS = 32 };
typedef struct {
  planned_t call; const void *plan; const double *constants[3]; Py_ssize_t joints;
  PyObject *table[SOLUTIONS + 1], *row[SOLUTIONS + 1]; /* shapes of n solutions */
} Solver;
static int usable(const double *x, Py_ssize_t count) {
  long outside = 0;
  for (Py_ssize_t k = 0; k < count; k++) outside |= !(x[k] >= -WIDEST) | !(x[k] <= WIDEST);
  return !outside;
}
static PyObject *copied(PyObject *shape, const double *x, Py_ssize_t count) {
  PyObject *array = PyObject_Vectorcall(empty, &shape, 1, 0);
  if (array) __builtin_memcpy(((Array *)array)->data, x, count * sizeof *x);
  return array;
}
static PyObject *solve(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  const Solver *s = PyCapsule_GetPointer(self, 0);
  if (!s || count != 3) return s ? general_way() : 0;
  const Array *T = plain(args[0]), *seed = plain(args[1]);
  double zeros[JOINTS] = {0}, redundancy[2] = {0, 1}; /* 1: the seed's own is added */
  if (!T || T->dimensions != 2 || T->shape[0] != 4 || T->shape[1] != 4) return general_way();
  if (!usable(T->data, 16)) return general_way();
  if (args[1] != &_Py_NoneStruct &&
      (!seed || seed->dimensions != 1 || seed->shape[0] != s->joints || !usable(seed->data, s->joints)))
    return general_way();
  if (args[2] != &_Py_NoneStruct) {
    redundancy[0] = PyFloat_AsDouble(args[2]);
    redundancy[1] = 0;
    if (PyErr_Occurred()) PyErr_Clear(), redundancy[1] = __builtin_nan("");
    if (!usable(redundancy, 2)) return general_way();
  }
  double q[SOLUTIONS * JOINTS], residuals[SOLUTIONS], angles[SOLUTIONS], found[2];
  const double *x[] = {T->data, s->constants[0], s->constants[1], s->constants[2],
                       seed ? seed->data : zeros, redundancy};
  double *y[] = {q, residuals, angles, found};
  s->call(1, x, y, s->plan);
  const Py_ssize_t n = (Py_ssize_t)found[0];
  if (n <= 0) return general_way();
  PyObject *parts[] = {copied(s->table[n], q, n * s->joints), copied(s->row[n], residuals, n),
                       copied(s->row[n], angles, n), PyFloat_FromDouble(found[1])};
  PyObject *result = PyTuple_New(4);
  int whole = result != 0;
  for (int i = 0; i < 4; i++) whole &= parts[i] != 0;
  for (int i = 0; i < 4; i++) {
    if (whole) PyTuple_SetItem(result, i, parts[i]);
    else if (parts[i]) Py_DecRef(parts[i]);
  }
  if (whole) return result;
  if (result) Py_DecRef(result);
  return 0;
}
static PyMethodDef solve_definition = {"solutions", solve, FASTCALL, 0};
static void forget_solver(PyObject *capsule) {
  Solver *s = PyCapsule_GetPointer(capsule, 0);
  for (int n = 0; n <= SOLUTIONS; n++) {
    if (s->table[n]) Py_DecRef(s->table[n]);
    if (s->row[n]) Py_DecRef(s->row[n]);
  }
  PyMem_Free(s);
}
static PyObject *solutions(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self; (void)count;
  Solver *s = PyMem_Malloc(sizeof(Solver));
  if (!s) return PyErr_NoMemory();
  *s = (Solver){.call = (planned_t)PyLong_AsVoidPtr(args[0]), .plan = PyLong_AsVoidPtr(args[1]),
                .joints = PyLong_AsSsize_t(args[3])};
  for (int i = 0; i < 3; i++) s->constants[i] = PyLong_AsVoidPtr(PyTuple_GetItem(args[2], i));
  if (s->joints < 1 || s->joints > JOINTS || PyLong_AsSsize_t(args[4]) > SOLUTIONS) {
    PyMem_Free(s);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "too many joints or branches");
    return 0;
  }
  PyObject *capsule = PyCapsule_New(s, 0, forget_solver);
  if (!capsule) { PyMem_Free(s); return 0; }
  for (Py_ssize_t n = 0; n <= SOLUTIONS; n++) {
    s->table[n] = PyTuple_New(2);
    s->row[n] = PyTuple_New(1);
    if (!s->table[n] || !s->row[n]) { Py_DecRef(capsule); return 0; }
    PyTuple_SetItem(s->table[n], 0, PyLong_FromSsize_t(n));
    PyTuple_SetItem(s->table[n], 1, PyLong_FromSsize_t(s->joints));
    PyTuple_SetItem(s->row[n], 0, PyLong_FromSsize_t(n));
  }
  PyObject *function = PyErr_Occurred() ? 0 : PyCFunction_NewEx(&solve_definition, capsule, 0);
  Py_DecRef(capsule);
  return function;
}

/* Bounds are repeated for a block of rows, so that whole vectors can be compared. */
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long M __attribute__((vector_size(8 * LANES)));
static M beyond(const double *x, const double *low, const double *high, Py_ssize_t count) {
  M found = {0};
  for (Py_ssize_t k = 0; k < count; k += LANES) {
    V a, b, c;
    __builtin_memcpy(&a, x + k, sizeof a);
    __builtin_memcpy(&b, low + k, sizeof b);
    __builtin_memcpy(&c, high + k, sizeof c);
    found |= ~((M)(a >= b) & (M)(a <= c));
  }
  return found;
}
static PyObject *inside(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  (void)self;
  double low[BLOCK * WIDTH], high[BLOCK * WIDTH];
  const Array *x = plain(args[0]);
  const Py_ssize_t width = PyLong_AsSsize_t(args[1]);
  const Array *bounds[2] = {0, 0};
  int fine = count == 4 && x && width > 0 && width <= WIDTH;
  for (int i = 0; i < 2 && fine; i++) {
    if (args[i + 2] == &_Py_NoneStruct) continue;
    bounds[i] = plain(args[i + 2]);
    fine = bounds[i] && bounds[i]->dimensions == 1 && bounds[i]->shape[0] == width;
  }
  if (!fine) return PyBool_FromLong(0);
  for (Py_ssize_t k = 0; k < BLOCK * width; k++) {
    low[k] = bounds[0] ? within_widest(bounds[0]->data[k % width]) : -WIDEST;
    high[k] = bounds[1] ? within_widest(bounds[1]->data[k % width]) : WIDEST;
  }
  Py_ssize_t total = 1, done = 0, step = BLOCK * width;
  for (int i = 0; i < x->dimensions; i++) total *= x->shape[i];
  M found = {0};
  for (; done + step <= total; done += step) found |= beyond(x->data + done, low, high, step);
  long outside = total % width != 0;
  for (int i = 0; i < LANES; i++) outside |= found[i] != 0;
  for (Py_ssize_t k = 0; done + k < total; k++)
    outside |= !(x->data[done + k] >= low[k]) | !(x->data[done + k] <= high[k]);
  return PyBool_FromLong(!outside);
}
static PyMethodDef methods[] = {
    {"setup", setup, FASTCALL, 0}, {"single", single, FASTCALL, 0},
    {"inside", inside, FASTCALL, 0}, {"solutions", solutions, FASTCALL, 0}, {0, 0, 0, 0}};
static PyModuleDef module = {{1, 0}, 0, 0, 0, "armtwin_bridge", 0, -1, methods, 0, 0, 0, 0};
__attribute__((visibility("default"))) PyObject *PyInit_armtwin_bridge(void) {
  return PyModule_Create2(&module, 1013);
}
