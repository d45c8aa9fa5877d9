"""The app's API over a simulated arm, for tests of requests."""

import asyncio

import httpx
from httpx import ASGITransport

import armtwin
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm


def served(act, folder=None, arm="ur5e"):
    """Run a coroutine function with a client of the API and its session.

    Args:
        act: is awaited with client and session.
        folder: of programs and recordings; None: the user's.
        arm: name of the simulated arm.
    """

    async def run():
        session = Session(SimulatedArm(armtwin.load(arm)), folder=folder)
        app = create(session, AppSettings(), pages=False)
        await session.start()
        try:
            transport = ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as web:
                await act(web, session)
        finally:
            await session.close()

    asyncio.run(run())
