"""Long work in processes of their own.

Modules:
    workshop: uploads and jobs of a session.
    orders: what each kind of job takes.
    job: one job and its process.
    queue: runs two jobs at a time.
    process: main function of a job's process.
    outcome: result of a job as plain data.
    uploads: files that clients send.

Packages:
    work: one module a kind of job.
"""
