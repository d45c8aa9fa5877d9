export default { template: `<div>view</div>` };
